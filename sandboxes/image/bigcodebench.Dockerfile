# BigCodeBench's libraries on top of the sandbox's image. Not built in CI: it needs the package index.
#
#   docker build -t conductor-sandbox-bigcodebench -f bigcodebench.Dockerfile .
#   CONDUCTOR_SANDBOX_IMAGE=conductor-sandbox-bigcodebench inspect eval tasks/bigcodebench.py …
ARG BASE=conductor-sandbox
FROM ${BASE}
RUN pip install --no-cache-dir --only-binary=:all: \
    "pandas<3" scipy scikit-learn matplotlib seaborn sympy statsmodels nltk regex requests flask \
    beautifulsoup4 lxml openpyxl xlrd pyyaml python-dateutil pytz faker cryptography rsa \
    pycryptodome psutil pillow opencv-python-headless networkx numba textblob wordcloud \
    wordninja xmltodict texttable prettytable python-docx holidays geopy folium shapely \
    flask-login flask-mail flask-restful flask-wtf wtforms werkzeug django gensim librosa \
    blake3 chardet pexpect pyquery python-levenshtein sendgrid soundfile mechanize natsort \
    sqlalchemy scikit-image tensorflow-cpu keras
