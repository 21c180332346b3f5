# pip install requests
import os

import requests

BASE = "https://record.example"
TOKEN = os.environ["TOKEN"]
